"""Reports computed from parameters; pages, API and command only show them."""
