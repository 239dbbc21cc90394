"""Where the derivatives of gait are not zero.

The Jacobians of the planar gait model by its 50 states and their rates: one leg does not feel the other, and muscles
feel only the joints that they cross. Figure 3 of van den Bogert et al. 2011.
"""

import myodyne as my

equations = my.equations_of(my.load_model("gait2d"))
my.plot(equations, path="structure_of_gait.png")
by_state, by_rate, by_control = equations.jacobians(
    equations.state(), [0.0] * len(equations.states), [0.1] * len(equations.controls)
)
print(f"entries: {by_state.nnz} by states, {by_rate.nnz} by rates, {by_control.nnz} by controls")
