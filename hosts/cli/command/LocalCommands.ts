/**
 * The commands that a checkout alone has, as the help of `causeway` lists them. In a checkout the words never get here
 * (HandOver.ts); an installed package says what to do.
 */
import { Command } from "effect/cli"
import { ProgramFailed } from "../Program.ts"

const local = <Name extends string>(name: Name, description: string) =>
  Command.make(name, {}, () =>
    new ProgramFailed({
      reason: "needs-checkout",
      message:
        `${name} is a program of the repository, and not in the package: clone it, then npm ci and npm run ${name}`
    })).pipe(
      Command.withDescription(`${description}. In a checkout alone; there --help shows its flags`),
      Command.withShortDescription(description)
    )

/** The local network. */
export const start = local("start", "Run local chains, the transfer service and the oracle, until Ctrl-C")

/** Transfers on it. */
export const demo = local("demo", "Make transfers on the local network that runs, shown as they happen")

/** Balances of its hub. */
export const withdraw = local("withdraw", "Take a balance of the hub out of the local network that runs")

/** The simulated world. */
export const simulate = local("simulate", "Run the service in a simulated world, one run a seed")
