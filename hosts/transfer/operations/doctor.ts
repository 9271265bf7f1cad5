/** `npm run doctor`, as the process. */
import { runProgram } from "../../cli/Program.ts"
import { doctorProgram } from "./DoctorProgram.ts"

runProgram(doctorProgram)
