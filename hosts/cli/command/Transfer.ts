/**
 * `causeway transfer`: quotes, signs the steps with a key of this machine, sends them, and follows the request to its end.
 *
 * A quote is paid once, and each run asks for a quote of its own: a second run is a second transfer. So the request's id
 * is told before anything is sent, and every failure names it.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { requestIdOf } from "../../transfer/client/Execute.ts"
import type { ExecuteOptions } from "../../transfer/client/Execute.ts"
import { answer, maybe, ProgramFailed, teller } from "../Program.ts"
import { checkRecipient, endsOf, requestFor, transferFlags } from "./QuoteRequest.ts"
import { priceText } from "./QuoteText.ts"
import { asked, clientOf, reader, Url } from "./Service.ts"
import { statusText } from "./Status.ts"
import { trustFlags, verifierOf } from "./Trust.ts"
import { localWallet } from "./wallets/LocalWallet.ts"

const flags = {
  ...transferFlags,
  "key-file": maybe("key-file", "a file with the private key that pays; WALLET_PRIVATE_KEY unless given"),
  "rpc-url": maybe(
    "rpc-url",
    "a node of the origin; the one that the service names unless given. For Bitcoin an Esplora-compatible explorer, for an exchange its API"
  ),
  ...trustFlags
} as const

/** Tells what is sent and what becomes of it. `sent` collects the transactions. */
const telling = (say: (text: string) => void, sent: Array<string>): Omit<ExecuteOptions, "signal"> => ({
  onSent: ({ action }, id) => {
    if (id !== undefined) sent.push(id)
    say(id === undefined ? `signed    ${action}` : `sent      ${id}`)
  },
  onStatus: ({ status }) => say(`status    ${status}`)
})

/** Exit code 0 when it was delivered. Otherwise 1: `refund` and `failure` are reasons, too. */
export const transfer = Command.make(
  "transfer",
  flags,
  Effect.fnUntraced(function*({ "key-file": keyFile, "rpc-url": rpcUrl, ...wish }) {
    const ends = yield* endsOf(yield* reader, wish)
    yield* checkRecipient(ends, wish)
    const verify = yield* verifierOf(wish, ends.served)
    const { account, wallet } = yield* localWallet(ends.from, keyFile, rpcUrl)
    const client = yield* clientOf(verify)
    const say = yield* teller
    const quote = yield* asked((signal) => client.getQuote(requestFor(ends, wish, account), { signal }))
    const requestId = requestIdOf(quote)
    say(priceText(quote, ends))
    say(`request   ${requestId}`)
    const sent: Array<string> = []
    const ended = yield* asked((signal) => client.execute(quote, wallet, { ...telling(say, sent), signal })).pipe(
      Effect.mapError(({ message, reason }) => {
        const state = sent.length === 0 ? "no transaction is known to be sent" : `sent was ${sent.join(", ")}`
        const next = `${state}; look at causeway status ${requestId} before another try`
        return new ProgramFailed({ reason, message: `${message}\n${next}` })
      })
    )
    if (ended.status !== "success") {
      return yield* new ProgramFailed({
        reason: ended.status,
        message: `the transfer ended as ${ended.status}\n${statusText(requestId, ended)}`
      })
    }
    yield* answer({ requestId, sent, ...ended }, statusText(requestId, ended))
  })
).pipe(
  Command.withDescription(
    "Make a transfer: quote it, sign and send its steps with a local key, and follow it to its end. A second run is a second transfer"
  ),
  Command.withShortDescription("Make a transfer with a local key, and follow it to its end"),
  Command.withExamples([
    {
      command: "npx causeway transfer --from alpha --to beta --amount 0.1 --trust",
      description: "On a service of your own, with the key in WALLET_PRIVATE_KEY"
    },
    {
      command:
        "npx causeway transfer --from base --to arbitrum --currency USDC --to-currency USDC --amount 25 --key-file ~/key --solver 0x… --chains-file node_modules/causeway-kit/configs/chains.mainnets.prod.json",
      description: "On a service that is not trusted: the quote is checked before it is paid"
    }
  ]),
  Command.withGlobalFlags([Url])
)
