"""Round the pages: jobs, logs, stopping, memory."""
