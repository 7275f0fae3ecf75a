export { clamp, sum } from "./utils/math.js"
export { slugify } from "./utils/text.js"
