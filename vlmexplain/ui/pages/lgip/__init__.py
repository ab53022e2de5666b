"""The LGIP page."""
