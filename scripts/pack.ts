/** `npm run pack`: the publishable tarball, in dist/. */
import { join, relative } from "node:path"
import { pack } from "./pack/Pack.ts"

const root = join(import.meta.dirname, "..")
const tarball = await pack(root, join(root, "dist/pack"))
process.stdout.write(`${relative(root, tarball)}\n`)
