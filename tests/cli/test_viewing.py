import myodyne as my


def saved_swing(folder):
    my.save(my.simulate(my.load_model("pendulum"), 0.5, start={"angle": 0.4}), folder / "swing.nc")


def test_results_become_pages_films_and_figures(cli, tmp_path):
    saved_swing(tmp_path)
    done = cli("view", "swing.nc", "swing.nc", "--out", "two.html", "--json")
    assert done.json == {"page": "two.html"}
    assert "swing" in (tmp_path / "two.html").read_text(encoding="utf-8")
    assert cli("animate", "swing.nc", "swing.gif").code == 0
    assert (tmp_path / "swing.gif").stat().st_size > 0
    assert cli("plot", "swing.nc", "angle*", "--degrees", "--out", "angle.png").code == 0
    assert (tmp_path / "angle.png").stat().st_size > 0


def test_a_motion_is_shown_with_its_model(cli, tmp_path):
    my.save(my.Trajectory([0.0, 0.5], {"angle": [0.0, 0.3]}, {"angle": "rad"}), tmp_path / "motion.sto")
    assert cli("animate", "pendulum", "motion.sto", "motion.png").code == 0
    assert (tmp_path / "motion.png").stat().st_size > 0
    alone = cli("view", "motion.sto", "--out", "no.html")
    assert alone.code == 2
    assert "give its model too" in alone.err
    assert not (tmp_path / "no.html").exists()
