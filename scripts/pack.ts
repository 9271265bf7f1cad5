/** `npm run pack`: writes the publishable tarball to dist/. */
import { join, relative } from "node:path"
import { pack } from "./pack/Pack.ts"

const root = join(import.meta.dirname, "..")
const tarball = await pack(root, join(root, "dist/pack"))
process.stdout.write(`${relative(root, tarball)}\n`)
