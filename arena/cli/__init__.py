"""The command line. Every module is one noun; nothing heavy is imported before it is needed."""
