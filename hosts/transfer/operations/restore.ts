/** `npm run restore -- <file>`, as the process. */
import { runProgram } from "../../cli/Program.ts"
import { restoreProgram } from "./RestoreProgram.ts"

runProgram(restoreProgram)
