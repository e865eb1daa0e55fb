"""Rendering: tables, cards, chips and hands as a camera over the felt sees them, with exact truth."""
