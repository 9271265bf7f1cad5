/** `npm run backup -- <file>`: copies the embedded store to a new file while the service runs. */
import { Console, Effect } from "effect"
import { backup } from "../../../adapters/storage/engine/Backup.ts"
import { Problem } from "../../configuration/Variables.ts"
import { args, command, storeFile } from "./Command.ts"

command(
  "backup",
  Effect.gen(function*() {
    const [target, ...others] = args()
    if (target === undefined || others.length > 0) {
      return yield* new Problem({ message: "name one new file: npm run backup -- <file>" })
    }
    yield* backup(yield* storeFile, target)
    yield* Console.log(`the store is in ${target}`)
    return 0
  })
)
