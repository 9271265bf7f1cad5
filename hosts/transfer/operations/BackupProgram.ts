/** `npm run backup -- <file>`: copies the embedded store to a new file while the service runs. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { backup } from "../../../adapters/storage/engine/Backup.ts"
import { answer } from "../../cli/Program.ts"
import { operation, storeFile } from "./Operation.ts"

const file = Argument.String("file").pipe(Argument.withDescription("a new file"))

export const backupProgram = Command.make("backup", { file }, ({ file: target }) =>
  operation(Effect.gen(function*() {
    yield* backup(yield* storeFile, target)
    yield* answer({ file: target }, `the store is in ${target}`)
  }))).pipe(Command.withDescription("Copy the embedded store to a new file while the service runs."))
