// The page for an address that leads nowhere: it only fills the bar.

import { makeTop } from "./top.js";

makeTop();
