from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from support.clocks import within_seconds

SHARED = Path(__file__).parents[3] / "shared" / "data"
TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100.00\t200.00\t2\t2\tmm\t100.00\t7\t3\n"
    "Frame#\tTime\tR.Heel\t\t\tToe 1\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "7\t0.00\t1.1\t-22.5\t333.25\t0.1\t0.2\t0.3\n"
    "8\t0.01\t\t\t\t1e2\t2\t3\n"
)


def written(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_millimetres_become_metres_to_the_nearest_bit(tmp_path):
    markers = my.load_markers(written(tmp_path / "walk.trc", TRC))
    assert markers.names == ("R.Heel", "Toe 1")
    assert markers["R.Heel"][0].tolist() == [0.0011, -0.0225, 0.33325]
    assert markers["Toe 1"].tolist() == [[0.0001, 0.0002, 0.0003], [0.1, 0.002, 0.003]]
    assert np.isnan(markers["R.Heel"][1]).all()
    assert markers.header["CameraRate"] == "200.00"
    assert markers.header["OrigNumFrames"] == "3"
    with pytest.raises(my.FileError, match=r"'R\.Heel' was not seen at 0\.01 s; load_markers"):
        my.load(tmp_path / "walk.trc")
    columns = my.load(tmp_path / "walk.trc", gaps=True)
    assert columns.units["Toe 1.z"] == "m"


def test_files_are_stable_after_one_pass_and_keep_their_header(tmp_path):
    written(tmp_path / "walk.trc", TRC)
    my.save_markers(my.load_markers(tmp_path / "walk.trc"), tmp_path / "one.trc")
    my.save_markers(my.load_markers(tmp_path / "one.trc"), tmp_path / "two.trc")
    one = (tmp_path / "one.trc").read_bytes()
    assert one == (tmp_path / "two.trc").read_bytes()
    lines = one.decode().splitlines()
    assert lines[:6] == TRC.splitlines()[:6]
    assert lines[6] == "7\t0.0\t1.1\t-22.5\t333.25\t0.1\t0.2\t0.3"
    assert lines[7] == "8\t0.01\t\t\t\t100.0\t2.0\t3.0"
    my.save(my.load(tmp_path / "walk.trc", gaps=True), tmp_path / "three.trc")
    my.save(my.load(tmp_path / "three.trc", gaps=True), tmp_path / "four.trc")
    assert (tmp_path / "three.trc").read_bytes() == (tmp_path / "four.trc").read_bytes()


@pytest.mark.parametrize("unit", ["mm", "cm", "m"])
def test_every_bit_survives(tmp_path, unit):
    rng = np.random.default_rng(1)
    places = rng.normal(size=(50, 4, 3)) * 10.0 ** rng.integers(-8, 4, size=(50, 4, 3))
    places[0, 0] = [0.1 + 0.2, 5e-324, -0.0]
    places[1, 1] = [1e300, 1 / 3, 1e22]
    markers = my.Markers(np.arange(50) / 3.0, list("abcd"), places, {"Units": unit})
    my.save_markers(markers, tmp_path / "all.trc")
    read = my.load_markers(tmp_path / "all.trc")
    assert read.positions.tobytes() == places.tobytes()
    assert read.time.tobytes() == markers.time.tobytes()


def test_quirks_of_other_programs_are_read(tmp_path):
    plain = my.load_markers(written(tmp_path / "plain.trc", TRC))
    dialects = {
        "crlf": TRC.replace("\n", "\r\n"),
        "no blank line": TRC.replace("Z2\n\n", "Z2\n"),
        "trailing tabs": TRC.replace("\n", "\t\n"),
        "blanks in the header": TRC.replace("PathFileType\t4\t(X/Y/Z)\t", "PathFileType  4\t(X/Y/Z) ").replace(
            "\t2\t2\tmm\t", "\t\t    2\t\t 2\t\t mm\t"
        ),
        "named but empty": TRC.replace("Toe 1\t\t\n", "Toe 1\t\t\tV_Toe\t\t\tV_Toe\t\t\n").replace(
            "0.3\n", "0.3\t\t\t\t\t\t\n"
        ),
        "gaps as text": TRC.replace("0.01\t\t\t\t", "0.01\tNaN\tnan\tNaN\t"),
        "no final newline": TRC.rstrip("\n"),
        "metres": TRC.replace("\tmm\t", "\tm\t")
        .replace("1.1\t-22.5\t333.25\t0.1\t0.2\t0.3", "0.0011\t-0.0225\t0.33325\t1e-4\t2e-4\t3e-4")
        .replace("1e2\t2\t3", "0.1\t0.002\t0.003"),
    }
    for name, text in dialects.items():
        assert my.load_markers(written(tmp_path / f"{name}.trc", text)) == plain, name
    short = TRC.replace("0.1\t0.2\t0.3\n", "\t\t\n").replace("333.25\t\t\t\n", "333.25\n")
    assert my.load_markers(written(tmp_path / "short.trc", short)).gaps == {"R.Heel": 1, "Toe 1": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("PathFileType", "Path"), "line 1: a marker file begins with 'PathFileType'"),
        (("NumFrames", "Frames"), "line 2: 'NumFrames' is missing"),
        (("\t7\t3\n", "\t7\n"), "line 3: has 7 values for the 8 keys"),
        (("\t2\t2\tmm", "\t3\t2\tmm"), "line 3: promises NumFrames=3, but there are 2 rows; is the file cut off?"),
        (("\t2\t2\tmm", "\t2\t3\tmm"), "line 4: names 2 markers, but line 3 promises NumMarkers=3"),
        (("\t2\t2\tmm", "\t2\t1\tmm"), "line 7: has more numbers than line 3 promises"),
        (("\t2\t2\tmm", "\t2\t-2\tmm"), "NumMarkers is '-2', not a whole number"),
        (("\t2\t2\tmm", "\t99999999999999\t2\tmm"), "NumFrames is '99999999999999', not a whole number"),
        (("\tmm\t", "\tinch\t"), "Units must be mm, cm or m, not 'inch'"),
        (("Frame#\tTime", "Time\tFrame#"), "line 4: begins with 'Frame#' and 'Time'"),
        (("Toe 1", "R.Heel"), "line 4: two markers are called 'R.Heel'"),
        (("R.Heel\t\t\t", "R.Heel\tx\t\t"), "line 4: 'x' is where an empty cell is expected"),
        (("\tY1\t", "\tZ1\t"), "line 5: must name the axes"),
        (("-22.5", "much"), "line 7: 'R.Heel' is 'much', not a number"),
        (("-22.5", "1_0"), "line 7: 'R.Heel' is '1_0', not a number"),
        (("-22.5", "inf"), "line 7: 'R.Heel' is 'inf', not a number"),
        (("-22.5", "1e999"), "line 7: 'R.Heel' is '1e999', not a number"),
        (("-22.5", "9" * 400), "line 7: 'R.Heel' is '999"),
        (("0.01\t", "nan\t"), "line 8: the time is 'nan'"),
        (("8\t0.01", "8.5\t0.01"), "line 8: the frame is '8.5'"),
        (("0.01\t", "0.00\t"), "line 8: time must increase, but 0 s follows 0 s"),
        (("1e2\t2\t3\n", "1e2\t2"), "line 8: is cut off"),
        (("1e2\t2\t3\n", "1e2\t2\n"), "line 8: has 7 values instead of 8"),
        (("8\t0.01\t\t\t\t1e2\t2\t3\n", ""), "promises NumFrames=2, but there are 1 rows; is the file cut off?"),
        (
            (
                "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n7\t0.00\t1.1\t-22.5\t333.25\t0.1\t0.2\t0.3\n8\t0.01\t\t\t\t1e2\t2\t3\n",
                "",
            ),
            "ends within its header",
        ),
        (("R.Heel", "R.\0Heel"), "line 4: is not text"),
    ],
)
def test_wrong_marker_files_are_refused_by_place(tmp_path, change, message):
    text = TRC
    assert change[0] in text
    path = written(tmp_path / "wrong.trc", text.replace(*change, 1))
    with pytest.raises(my.FileError) as caught:
        my.load_markers(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def crowd(rows, count):
    """Return a marker file of many markers, whose rows say nothing of any."""
    names, axes = "\t\t\t".join(f"m{n}" for n in range(count)), "\t".join(f"X{n}\tY{n}\tZ{n}" for n in range(count))
    head = f"PathFileType\t4\t(X/Y/Z)\tx.trc\nNumFrames\tNumMarkers\tUnits\n{rows}\t{count}\tmm\n"
    return head + f"Frame#\tTime\t{names}\n\t\t{axes}\n" + "".join(f"{row}\t{row}\n" for row in range(rows))


def test_crowds_of_markers_take_no_more_than_their_due(tmp_path):
    """Time in proportion to their number, and no table of a terabyte for a file of a few megabytes."""
    path = written(tmp_path / "many.trc", crowd(2, 100_000))
    with within_seconds(2.0):
        assert len(my.load_markers(path).names) == 100_000
    path = written(tmp_path / "promised.trc", crowd(100_000, 30_000))
    with within_seconds(2.0), pytest.raises(my.FileError, match="100000 rows of 30000 markers are promised, and most"):
        my.load_markers(path)


def test_encodings_cuts_and_noise_give_file_errors(tmp_path):
    for encoding in ("utf-16", "utf-32"):
        with pytest.raises(my.FileError, match="line 1"):
            my.load_markers(written(tmp_path / "odd.trc", TRC.encode(encoding)))
    with pytest.raises(my.FileError, match="line 4: is not text in UTF-8"):
        my.load_markers(written(tmp_path / "odd.trc", TRC.replace("Toe", "Zéhe").encode("latin-1")))
    whole = TRC.encode()
    refused = 0
    for length in range(len(whole) - 1):
        try:
            my.load_markers(written(tmp_path / "cut.trc", whole[:length]))
        except my.FileError:
            refused += 1
    # Only a cut within the very last number cannot be seen: '3' is a number, and so is '' of a gap.
    assert refused >= len(whole) - 2
    rng = np.random.default_rng(2)
    for _ in range(200):
        noisy = bytearray(whole)
        for place in rng.integers(0, len(whole), size=3):
            noisy[place] = rng.integers(0, 256)
        try:
            my.load_markers(written(tmp_path / "noisy.trc", bytes(noisy)))
        except my.FileError as error:
            assert "noisy.trc" in str(error)


def test_only_markers_go_into_marker_files(tmp_path):
    with pytest.raises(my.FileError, match=r"columns like .* 'knee' is not one of them"):
        my.save(my.Trajectory([0.0], {"knee": [1.0]}), tmp_path / "a.trc")
    with pytest.raises(my.FileError, match="save_markers writes Markers, not a list"):
        my.save_markers([], tmp_path / "a.trc")
    with pytest.raises(my.FileError, match=r"kept in \.trc files, not in '\.csv'"):
        my.load_markers(tmp_path / "a.csv")
    with pytest.raises(my.FileError, match="load_c3d"):
        my.load_markers(tmp_path / "a.c3d")
    with pytest.raises(my.FileError, match="load_c3d"):
        my.load(tmp_path / "a.c3d")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
def test_recorded_files_are_read_and_stable(tmp_path):
    found = sorted(SHARED.rglob("*.trc"))
    assert found
    for path in found:
        if path.stat().st_size > 2**20:
            continue
        markers = my.load_markers(path)
        assert np.nanmax(np.abs(markers.positions)) < 10.0
        my.save_markers(markers, tmp_path / "one.trc")
        my.save_markers(my.load_markers(tmp_path / "one.trc"), tmp_path / "two.trc")
        assert (tmp_path / "one.trc").read_bytes() == (tmp_path / "two.trc").read_bytes(), path.name
