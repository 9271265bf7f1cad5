/** A ledger with money on it, for the contracts of the ports: in memory, with blocks made by hand. */
import { Effect, Redacted, Result, Schema } from "effect"
import {
  type Address,
  type Chain,
  ChainId,
  ChainSlug,
  type Currency,
  CurrencyAddress,
  Hex32,
  parseTransactionId
} from "causeway-kit"
import { FamilyFixture } from "causeway-kit/property-tests"
import type { HttpJson } from "causeway-kit/adapters/quorum"
import { LocalSignatures, LocalSigner } from "causeway-kit/adapters/signing"
import { Signatures } from "causeway-kit/ports"
import { accountOn, finalOf, headOf, type LedgerCurrency, unitsOf } from "../ledger/Ledger.ts"
import { accountOf, signTransfer, type Transfer, transferId } from "../ledger/Transfer.ts"
import { startMemoryLedger } from "../node/MemoryLedger.ts"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"
import { ledgerRules } from "../rules/LedgerRules.ts"

/** A publicly known key. */
export const keyOf = (nth: number): Hex32 => Hex32.make(`0x${`${nth}`.padStart(2, "0").repeat(32)}`)

const solverKey = keyOf(1)
const userKey = keyOf(2)
export const solver = accountOf(solverKey)
/** The signer that the service gives to the family. */
export const solverSigner = Effect.runSync(
  Effect.provideService(
    LocalSigner.localSecp256k1(Redacted.make(solverKey)),
    Signatures,
    LocalSignatures.makeSignatures(undefined)
  )
)
export const user = accountOf(userKey)
export const stranger = accountOf(keyOf(3))
export const refusing = accountOf(keyOf(4))
export const depository = accountOf(keyOf(5))
const issuer = accountOf(keyOf(6))

export const listed: readonly [LedgerCurrency, LedgerCurrency] = [
  { address: ledgerAddresses.nativeCurrency, symbol: "LDG", decimals: 6 },
  { address: CurrencyAddress.make(issuer), symbol: "USDC", decimals: 6 }
]

export const terms = { name: "test", finalAfter: 3, fee: 1_000n, currencies: listed }

/** A thousand whole units of each currency, for each holder. */
export const holdingsOf = (...holders: ReadonlyArray<Address>) =>
  holders.flatMap((holder) => listed.map(({ address }) => [holder, address, 1_000_000_000n] as const))

/** Sends a transfer as a wallet does: signed with the account's next sequence. */
export const sendBy = Effect.fnUntraced(
  function*(
    node: HttpJson,
    key: Hex32,
    transfer: Pick<Transfer, "amount" | "currency" | "fee" | "ledger" | "memo" | "recipient">
  ) {
    const sender = accountOf(key)
    const { said } = yield* Effect.orDie(node.call({ method: "GET", path: `/v1/accounts/${sender}` }, 5_000))
    const { pendingSequence } = Schema.decodeUnknownSync(Schema.Struct({ pendingSequence: Schema.BigIntFromString }))(
      said
    )
    const signed = signTransfer({ ...transfer, sender, sequence: pendingSequence }, key)
    const body = {
      transfer: {
        ...signed.transfer,
        sequence: `${pendingSequence}`,
        amount: `${transfer.amount}`,
        fee: `${transfer.fee}`
      },
      signature: signed.signature
    }
    const { said: answer, status } = yield* Effect.orDie(
      node.call({ method: "POST", path: "/v1/transfers", body }, 5_000)
    )
    if (status !== 200) return yield* Effect.die(new Error(`the ledger refused a transfer: ${JSON.stringify(answer)}`))
    return Result.getOrThrow(parseTransactionId(ledgerRules, transferId(signed.transfer)))
  }
)

const ofStep = Schema.Struct({
  vmType: Schema.Literal("ledger-vm"),
  transaction: Schema.Struct({
    ledger: Schema.String,
    recipient: Schema.String,
    currency: Schema.String,
    amount: Schema.BigIntFromString,
    fee: Schema.BigIntFromString,
    memo: Schema.String
  })
})

/** The transfer that a step asks a wallet to send. */
export const transferOfStep = (data: unknown) => {
  const { transaction } = Schema.decodeUnknownSync(ofStep)(data)
  return {
    ...transaction,
    recipient: Result.getOrThrow(ledgerAddresses.parse(transaction.recipient)),
    currency: Result.getOrThrow(ledgerAddresses.parseCurrency(transaction.currency))
  }
}

export const chainOf = (genesisHash: string): Chain => {
  const id = ChainId.make(616_150)
  const currencies = listed.map(({ address, decimals, symbol }): Currency => ({
    chainId: id,
    address,
    symbol,
    name: symbol,
    decimals,
    isNative: address === ledgerAddresses.nativeCurrency
  }))
  return {
    id,
    slug: ChainSlug.make("ledger"),
    network: "mainnet",
    name: "Ledger",
    family: ledgerRules,
    genesisHash,
    depository,
    router: undefined,
    vault: undefined,
    native: currencies[0]!,
    currencies,
    finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
    confirmations: [],
    blockTimeMs: 1_000,
    explorerUrl: undefined
  }
}

export const makeFixture = Effect.gen(function*() {
  const ledger = yield* startMemoryLedger({ terms, holdings: holdingsOf(solver, user) })
  yield* ledger.close(refusing)
  const chain = chainOf(ledger.genesisHash)
  const node = ledger.connection
  const send = (to: Parameters<typeof sendBy>[2]) => sendBy(node, userKey, to)
  const fixture = FamilyFixture.of({
    chain,
    token: chain.currencies[1]!,
    user,
    stranger,
    refusing,
    balance: (of, { address }) => Effect.sync(() => unitsOf(accountOn(ledger.state(), of), address)),
    deposit: ({ address: currency }, amount, memo) =>
      send({ ledger: ledger.genesisHash, recipient: depository, currency, amount, fee: terms.fee, memo }),
    carryOut: (step) =>
      step.kind === "transaction" && step.items[0] !== undefined
        ? send(transferOfStep(step.items[0].data))
        : Effect.die(new Error("a step that asks for no transaction")),
    mine: ledger.mine(),
    finalise: Effect.suspend(() => {
      const { height } = headOf(ledger.state())
      return Effect.repeat(ledger.mine(), { until: () => finalOf(ledger.state()).height >= height })
    }),
    takeBack: ledger.takeBack
  })
  return { chain, ledger, node, fixture }
})

/** The URL of the ledger in memory. Nothing connects to it. */
export const memoryUrl = Redacted.make("http://127.0.0.1:1/memory")
