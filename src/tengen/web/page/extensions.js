// Parts of the page that main.js does not know. Each is a function that gets the application and adds
// panels, sections, shortcuts and overlays to it; main.js describes what it can call.

import { setUpEditing } from "./editing.js";
import { setUpJoseki } from "./joseki_section.js";
import { setUpProblems } from "./problems_panel.js";
import { setUpTeaching } from "./teaching.js";

const EXTENSIONS = [setUpTeaching, setUpProblems, setUpJoseki, setUpEditing];

export function setUpExtensions(app) {
  for (const setUp of EXTENSIONS) setUp(app);
}
