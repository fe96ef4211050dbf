"""Generated from proto/ by make_stubs.sh; do not edit."""
