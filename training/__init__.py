"""Scripts that train the course's small models. Nothing else imports this package."""
