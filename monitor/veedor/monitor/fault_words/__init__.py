"""Spanish for the faults of areas that know no language."""
