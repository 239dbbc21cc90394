"""The studio: reshape a curve, a start or a number, and watch the movement change. A local web application."""
