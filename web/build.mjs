// Bundles the viewer: node build.mjs OUT_FOLDER
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

const out = process.argv[2] ?? "../src/myodyne/view/static";
mkdirSync(out, { recursive: true });
const common = { bundle: true, minify: true, legalComments: "none", target: ["es2022"], logLevel: "warning" };
await build({ ...common, entryPoints: ["src/page.ts"], format: "iife", outfile: `${out}/page.js` });
await build({ ...common, entryPoints: ["src/widget.ts"], format: "esm", outfile: `${out}/widget.js` });
await build({ ...common, entryPoints: ["src/studio.ts"], format: "iife", outfile: `${out}/studio.js` });
copyFileSync("src/studio.html", `${out}/studio.html`);
await build({ ...common, entryPoints: ["src/viewer.css"], outfile: `${out}/viewer.css` });
// The licences ask that their notices travel along.
const notices = ["three", "uplot"].map(
  (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf-8")}`,
);
writeFileSync(`${out}/NOTICES.txt`, notices.join("\n\n"));
