"""Moments as logs write them, in UTC."""

DATETIME_FORMAT = "Y-m-d H:i"
