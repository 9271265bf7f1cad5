/** `npm run backup -- <file>`, as the process. */
import { runProgram } from "../../cli/Program.ts"
import { backupProgram } from "./BackupProgram.ts"

runProgram(backupProgram)
