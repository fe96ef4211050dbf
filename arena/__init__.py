"""What people touch: the API, the command line, and the services of one machine."""
