/** The ledger in the matrix of all families: a seventh family that the unchanged hosts serve beside their own. */
import { Effect, Result, Semaphore } from "effect"
import { Hex32 } from "causeway-kit"
import { randomBytes } from "node:crypto"
import { pathToFileURL } from "node:url"
import type { MatrixCurrency, MatrixFamily } from "../../../hosts/transfer/testing/matrix/MatrixFamily.ts"
import { ledger as ledgerFamily } from "../adapter/Family.ts"
import { accountOn, unitsOf } from "../ledger/Ledger.ts"
import { accountOf } from "../ledger/Transfer.ts"
import { serveLedger, startHttpLedger } from "../node/HttpLedger.ts"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"
import { chainOf, holdingsOf, keyOf, listed, sendBy, terms, transferOfStep, user } from "./Fixture.ts"
import { writeConfigs } from "./Network.ts"

/** Smallest units: 25 whole ones. */
const SOME = 25_000_000n

const [native, token] = listed.map(({ address, symbol }): MatrixCurrency => ({ symbol, address, some: SOME }))

/** The only account that pays. */
const userKey = keyOf(2)

const account = (text: string) => Result.getOrThrow(ledgerAddresses.parse(text))
const currency = (text: string) => Result.getOrThrow(ledgerAddresses.parseCurrency(text))

export const ledgerMatrix: MatrixFamily = {
  name: ledgerFamily.rules.name,
  served: ledgerFamily,
  native: native ?? { symbol: "", address: "", some: 0n },
  ...(token === undefined ? {} : { token }),
  hasSecondChain: false,
  hasAddresses: false,
  start: Effect.fnUntraced(function*({ chains, environment }) {
    const solver = accountOf(Hex32.make(chains.solverKey))
    const ledger = yield* startHttpLedger({ terms, holdings: holdingsOf(solver, user), blockTimeMs: 200 })
    const second = yield* serveLedger(ledger)
    const configs = yield* writeConfigs(ledger.genesisHash)
    const { id, slug, ...rest } = chainOf(ledger.genesisHash)
    // It numbers an account's transfers.
    const alone = yield* Semaphore.make(1)
    return {
      configs: pathToFileURL(`${configs}/`),
      environment: {
        CHAINS: `${environment["CHAINS"]},${slug}`,
        LEDGER_RPC_URL: `${ledger.url},${second}`
      },
      chains: [{
        slug,
        chainId: id,
        ref: { ...rest, slug },
        wallet: {
          balance: (of, owner) => Effect.sync(() => unitsOf(accountOn(ledger.state(), account(owner)), currency(of))),
          send: (_, data) => sendBy(ledger.connection, userKey, transferOfStep(data)),
          // It executes a transfer when it accepts it, and the fee is the same for all.
          mined: () => Effect.succeed({ succeeded: true, gasCost: terms.fee }),
          newAddress: Effect.sync(() => accountOf(Hex32.make(`0x${randomBytes(32).toString("hex")}`)))
        },
        user: () => Effect.succeed({ address: user, privateKey: userKey, alone })
      }]
    }
  })
}
