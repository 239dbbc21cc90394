// Colours, light and dark. Bodies of several runs take the colours of Okabe and Ito (2008).
export interface Theme {
  paper: string;
  ink: string;
  grid: string;
  rest: string;
  active: string;
  passive: string;
  arrow: string;
  marker: string;
  centre: string;
}

export const LIGHT: Theme = {
  paper: "#f7f8fa",
  ink: "#22262b",
  grid: "#c9d0d8",
  rest: "#7d8fb3",
  active: "#d4271e",
  passive: "#6b7a45",
  arrow: "#00875a",
  marker: "#0072b2",
  centre: "#d55e00",
};

export const DARK: Theme = {
  paper: "#15181c",
  ink: "#e8eaed",
  grid: "#3a424c",
  rest: "#5b6f99",
  active: "#ff5347",
  passive: "#a4b56d",
  arrow: "#2fc48d",
  marker: "#56b4e9",
  centre: "#ff9e4a",
};

/** Colours of bodies: the first is bone, the others tell runs apart. */
export const BODIES = ["#e3d7c2", "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00"];
export const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b", "#a6611a"];
