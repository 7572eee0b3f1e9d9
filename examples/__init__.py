"""Programs that code: they use only the public API, by `coindex.client`."""
