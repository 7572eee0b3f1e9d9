"""Where coders disagree: item by item, by category, and where they call something ambiguous."""
