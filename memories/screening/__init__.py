"""Screening of texts: secrets, personal data, and instructions that are aimed at a model."""
