"""Players that are programs. A bot sees a view and answers with an action; nothing else."""
