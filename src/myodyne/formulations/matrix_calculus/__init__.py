"""Equations of motion by a calculus of matrix-valued functions (Ehsani, Empirically-based multibody dynamics).

The work is "Empirically-based Multibody Dynamics for Modeling the Human Body Musculoskeletal System" by H. Ehsani,
the English edition of chapters of a dissertation (Amirkabir University of Technology, 2016). Equation numbers in
this package are those of that text; comments mark where a printed equation is corrected.
"""

from myodyne.formulations.matrix_calculus.calculus import Differentiated, derivative
from myodyne.formulations.matrix_calculus.formulation import MatrixCalculus
from myodyne.formulations.matrix_calculus.frames import Frame
from myodyne.formulations.matrix_calculus.joint_variables import JointVariables
from myodyne.formulations.matrix_calculus.kinematics import Kinematics

__all__ = ["Differentiated", "Frame", "JointVariables", "Kinematics", "MatrixCalculus", "derivative"]
