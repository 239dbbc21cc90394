"""Equations of motion by a calculus of matrix-valued functions (Ehsani, Empirically-based multibody dynamics).

The work is "Empirically-based Multibody Dynamics for Modeling the Human Body Musculoskeletal System" by H. Ehsani,
the English edition of chapters of a dissertation (Amirkabir University of Technology, 2016). Equation numbers in
this package are those of that text; comments mark where a printed equation is corrected.

Examples
--------
>>> import myodyne as my
>>> equations = my.matrix_calculus.MatrixCalculus(my.load_model("double_pendulum"))
>>> equations.mass_matrix([0.0, 0.0]).round(4)
array([[2.6667, 0.8333],
       [0.8333, 0.3333]])
"""

from myodyne.formulations.matrix_calculus.calculus import Differentiated, derivative
from myodyne.formulations.matrix_calculus.formulation import MatrixCalculus
from myodyne.formulations.matrix_calculus.frames import Frame
from myodyne.formulations.matrix_calculus.joint_variables import JointVariables
from myodyne.formulations.matrix_calculus.kinematics import Kinematics

__all__ = ["Differentiated", "Frame", "JointVariables", "Kinematics", "MatrixCalculus", "derivative"]
