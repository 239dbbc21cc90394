"""Commands for laboratory work: markers, moments, loads, muscle forces, gait reports, set-up files."""
