/**
 * The same fixture with a Solana chain: transfers there and from there, and every account of theirs that holds
 * something.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Address } from "@solana/kit"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { LocalKey } from "../../../../localnet/nodes/solana/node/LocalKey.ts"
import { keyOfName } from "../../../../localnet/nodes/solana/node/LocalKey.ts"
import { addressOf } from "../../../../localnet/nodes/ethereum/Addresses.ts"
import { tokenAccount, vault } from "../../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId } from "../../../../localnet/nodes/solana/SolanaChain.ts"
import { execute, postQuote, QuoteAnswer } from "../../../testing/Client.ts"
import { calm } from "../../../testing/FeePressure.ts"
import { startFixture } from "../../../testing/Fixture.ts"
import { orderIdOf } from "../../../testing/Misbehaving.ts"
import { paySolana } from "../../../testing/SolanaAddressed.ts"
import { endedAnywhere, sendSolana, solanaBalances, SolanaQuote } from "../../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../../testing/SolanaNetwork.ts"
import { keyOf, ledgerOf } from "../../../testing/Sponsor.ts"
import { held, USDC } from "../../../testing/Tokens.ts"
import type { Asking, Books, Played, Refused } from "./Played.ts"
import { hasZeroByte, settled, sponsor } from "./Sponsoring.ts"
import { money } from "./Table.ts"

export const startSolanaFixture = startFixture(Effect.tap(startSolanaNetwork(100, 8), calm), { sponsors: [sponsor] })
export type SolanaFixture = Effect.Success<typeof startSolanaFixture>

/** From alpha to Solana, in USDC. */
export interface Arrival extends Asking {
  readonly user: number
  /** The number of a recipient. It has no account for USDC before a first transfer opened it. */
  readonly recipient: number
  /** A third party opens it between the quote and the fill. */
  readonly openedMeanwhile?: true
}

/** The second signer of a deposit, besides the user. */
export type FeePayer = "another" | "the user" | "a stranger to SOL"

/** From Solana: in USDC to beta, or in SOL to another owner's USDC on Solana itself. */
export interface Departure extends Asking {
  readonly user: number
  readonly feePayer?: FeePayer
  readonly within?: true
}

const the = <A>(value: A | undefined): A => value ?? assert.fail("there is no such user")

const named = (name: string, index: number): LocalKey => keyOfName(`causeway.scenarios.${name}.${index}`)

/** A user whose deposits another account pays for has no SOL at all. */
const userOf = ({ solanaUsers }: SolanaFixture, { feePayer, user, within }: Departure): LocalKey =>
  feePayer === undefined || within === true ? the(solanaUsers[user]) : named("user", user)

const feePayerOf = (fixture: SolanaFixture, play: Departure): LocalKey | undefined =>
  play.feePayer === undefined
    ? undefined
    : play.feePayer === "the user"
    ? userOf(fixture, play)
    : play.feePayer === "another"
    ? the(fixture.solanaUsers.at(-1))
    : named("stranger", 0)

const solanaRecipientOf = (play: Arrival | Departure): Address =>
  "recipient" in play ? named("recipient", play.recipient).address : named("recipient within", play.user).address

/** All have the same number of zero bytes, so that gas is equal. */
const evmRecipientOf = ({ user }: Departure): Hex => toHex(0xca5e_1101 + user, { size: 20 })

const requestOfArrival = ({ chains }: SolanaFixture, play: Arrival) => ({
  user: privateKeyToAccount(the(chains.users[play.user])).address,
  recipient: solanaRecipientOf(play),
  originChainId: chains.alpha.chainId,
  destinationChainId: solanaChainId,
  originCurrency: USDC.address,
  destinationCurrency: usdc.address,
  amount: "100000000",
  tradeType: "EXACT_INPUT",
  ...play.ask
})

const requestOfDeparture = (fixture: SolanaFixture, play: Departure) => ({
  user: userOf(fixture, play).address,
  recipient: play.within === true ? solanaRecipientOf(play) : evmRecipientOf(play),
  originChainId: solanaChainId,
  destinationChainId: play.within === true ? solanaChainId : fixture.chains.beta.chainId,
  originCurrency: play.within === true ? SOL : usdc.address,
  destinationCurrency: play.within === true ? usdc.address : USDC.address,
  amount: play.within === true ? "1000000000" : "100000000",
  tradeType: "EXACT_INPUT",
  ...play.ask,
  ...(play.feePayer === undefined ? {} : { depositFeePayer: feePayerOf(fixture, play)?.address })
})

/** The associated account of an owner for USDC, and its balances: tokens, and the lamports that are its rent. */
const accountOf = Effect.fnUntraced(function*({ solana }: SolanaFixture, owner: Address) {
  const account = yield* Effect.promise(() => tokenAccount(owner, usdc.address, usdc.program))
  return {
    tokens: (yield* solanaBalances(solana.url, owner, account)).tokens,
    rent: (yield* solanaBalances(solana.url, account)).lamports
  }
})

const lamportsOf = ({ solana }: SolanaFixture, owner: Address) =>
  Effect.map(solanaBalances(solana.url, owner), ({ lamports }) => lamports)

const booksOfArrival = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Arrival) {
  const { chains: { alpha, users }, solanaSolver, store } = fixture
  const recipient = yield* accountOf(fixture, solanaRecipientOf(play))
  return {
    chains: {
      "alpha: the user's USDC": yield* held(alpha, USDC, privateKeyToAccount(the(users[play.user])).address),
      "alpha: USDC in the depository": yield* held(alpha, USDC, addressOf("Depository")),
      "solana: the recipient's USDC": recipient.tokens,
      "solana: the solver's USDC": (yield* accountOf(fixture, solanaSolver)).tokens
    },
    sol: {
      "the solver": yield* lamportsOf(fixture, solanaSolver),
      "the recipient": yield* lamportsOf(fixture, solanaRecipientOf(play)),
      "the recipient's account for USDC": recipient.rent
    },
    ledger: yield* ledgerOf(store)
  } satisfies Books
})

/** Who pays for a deposit: the user, or another. */
const payers = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Departure) {
  const feePayer = feePayerOf(fixture, play)
  return {
    "the user": yield* lamportsOf(fixture, userOf(fixture, play).address),
    ...(feePayer === undefined ? {} : { "the fee payer": yield* lamportsOf(fixture, feePayer.address) })
  }
})

const booksWithin = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Departure) {
  const recipient = yield* accountOf(fixture, solanaRecipientOf(play))
  return {
    chains: {
      "solana: the recipient's USDC": recipient.tokens,
      "solana: the solver's USDC": (yield* accountOf(fixture, fixture.solanaSolver)).tokens
    },
    sol: {
      ...(yield* payers(fixture, play)),
      "the vault": yield* lamportsOf(fixture, vault),
      "the solver": yield* lamportsOf(fixture, fixture.solanaSolver),
      "the recipient's account for USDC": recipient.rent
    },
    ledger: yield* ledgerOf(fixture.store)
  } satisfies Books
})

const booksOfDeparture = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Departure) {
  if (play.within === true) return yield* booksWithin(fixture, play)
  const { chains: { beta, solver }, store } = fixture
  const vaults = yield* accountOf(fixture, vault)
  return {
    chains: {
      "solana: the user's USDC": (yield* accountOf(fixture, userOf(fixture, play).address)).tokens,
      "solana: USDC in the vault": vaults.tokens,
      "beta: the recipient's USDC": yield* held(beta, USDC, evmRecipientOf(play)),
      "beta: the solver's USDC": yield* held(beta, USDC, solver)
    },
    sol: { ...(yield* payers(fixture, play)), "the vault's account for USDC": vaults.rent },
    ledger: yield* ledgerOf(store)
  } satisfies Books
})

/** Asks until the order's id has no zero byte, so that the gas of its fill is equal in every run. */
const ask = Effect.fnUntraced(
  function*<A>(
    { url }: SolanaFixture,
    asked: object,
    { keyed }: Asking,
    decode: (answer: unknown) => A,
    orderOf: (quoted: A) => Hex
  ) {
    while (true) {
      const response = yield* postQuote(url, asked, keyed ? keyOf(sponsor) : {})
      assert.strictEqual(response.status, 200, response.text)
      const answer = response.json()
      const quoted = decode(answer)
      if (!hasZeroByte(orderOf(quoted))) return { answer, quoted }
    }
  }
)

/** Pays on alpha and waits for the USDC on Solana. */
export const arrive = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Arrival) {
  const { chains: { alpha, users }, solana, solanaUsers, url } = fixture
  const before = yield* booksOfArrival(fixture, play)
  const asked = requestOfArrival(fixture, play)
  const { answer, quoted } = yield* ask(fixture, asked, play, Schema.decodeUnknownSync(QuoteAnswer), orderIdOf)
  const told = play.openedMeanwhile === true
    ? ["Somebody else opens the recipient's account now, and pays its rent."]
    : []
  if (play.openedMeanwhile === true) yield* paySolana(solana.url, the(solanaUsers.at(-2)), asked.recipient, usdc, 0n)
  yield* execute(alpha, the(users[play.user]), quoted)
  assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
  const actual = yield* settled(fixture, answer, quoted, false, before.ledger)
  return { play, asked, answer, actual, told, before, after: yield* booksOfArrival(fixture, play) } satisfies Played
})

export type Deposit = SolanaQuote["steps"][number]["items"][number]["data"]

/** How the deposit is signed and sent. Returns the page's text about it, and its signature. */
export type Carry = (
  fixture: SolanaFixture,
  parties: { readonly user: LocalKey; readonly feePayer: LocalKey | undefined },
  deposit: Deposit
) => Effect.Effect<{ readonly signature: string; readonly told: ReadonlyArray<string> }>

/** Both sign at once. */
export const carry: Carry = ({ solana }, { feePayer, user }, deposit) =>
  Effect.map(
    sendSolana(solana.url, feePayer === undefined ? [user] : [feePayer, user], deposit),
    ({ signature }) => ({ signature, told: [] })
  )

/** Deposits on Solana and waits for the output. */
export const depart = Effect.fnUntraced(function*(fixture: SolanaFixture, play: Departure, carried: Carry = carry) {
  const { solana, solanaUsers, url } = fixture
  const [user, feePayer] = [userOf(fixture, play), feePayerOf(fixture, play)]
  if (feePayer !== undefined && play.within !== true) {
    yield* paySolana(solana.url, the(solanaUsers.at(-2)), user.address, usdc, 100_000_000n)
  }
  const before = yield* booksOfDeparture(fixture, play)
  const asked = requestOfDeparture(fixture, play)
  const { answer, quoted } = yield* ask(fixture, asked, play, Schema.decodeUnknownSync(SolanaQuote), depositNames)
  const { signature, told } = yield* carried(fixture, { user, feePayer }, the(quoted.steps[0]?.items[0]).data)
  const end = yield* endedAnywhere(url, quoted)
  assert.deepInclude(end, { status: "success", inTxHashes: [signature] })
  const actual = yield* settled(fixture, answer, quoted, false, before.ledger)
  const gas = `The user's wallet is told that the deposit costs it (\`fees.gas\`) ${
    money(quoted.fees["gas"]?.amount ?? "", 9)
  } SOL.`
  return {
    play,
    asked,
    answer,
    actual,
    told: [gas, ...told],
    before,
    after: yield* booksOfDeparture(fixture, play)
  } satisfies Played
})

/** The order that a deposit on Solana names: the end of its last instruction. */
const depositNames = ({ steps }: SolanaQuote): Hex =>
  `0x${steps[0]?.items[0]?.data.instructions.at(-1)?.data.slice(-64) ?? ""}`

const refuse = Effect.fnUntraced(function*({ url }: SolanaFixture, play: Asking, asked: object) {
  const response = yield* postQuote(url, asked, play.keyed ? keyOf(sponsor) : {})
  return { play, asked, status: response.status, answer: response.json() } satisfies Refused
})

/** Asks a question that is refused. */
export const refuseArrival = (fixture: SolanaFixture, play: Arrival) =>
  refuse(fixture, play, requestOfArrival(fixture, play))

export const refuseDeparture = (fixture: SolanaFixture, play: Departure) =>
  refuse(fixture, play, requestOfDeparture(fixture, play))
