"""From a folder of files to documents: decoding, loaders for each kind of file, normalisation, outline."""
