"""What several tests share: random trees, and independent judges of the equations of motion.

Every judge answers the same questions as the compiled equations: ``coordinates``, ``bodies``, ``mass_matrix``,
``inverse_dynamics``, ``forward_dynamics``, ``body_poses``, ``momentum`` and ``energy``.
"""
