"""What the text of PARD's paper gives of its figures, with the sections."""

CENTRE_OF_WAITS = 0.5  # 4.2: the waits of all modules add up to about this share of the sum of their executions (figure 6)
BEST_LAMBDA = (0.075, 0.15)  # 5.4 (figure 14c)
STILL_DROPPED = {"proactive": 17, "predict": 11}  # 7: drop rate in percent by policy (figure 15a)
