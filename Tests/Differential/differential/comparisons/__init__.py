"""The comparisons. Each module or package has a function `run(options)` that returns the figures of the report."""
