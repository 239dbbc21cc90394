"""How a body moves: pure functions that turn a model into CasADi ``SX`` expressions."""
