/** The contracts of `ChainObserver` and `ChainFacts`, for any family: they return evidence, never a guess. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import { ChainObserver } from "../../ports/chain/ChainObserver.ts"
import { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import { parseTransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Purpose } from "../../src/domain/configuration/Expectation.ts"
import { isSignedBy } from "../../src/domain/encoding/Signature.ts"
import { judgeDeposits } from "../../src/domain/evidence/judges/JudgeDeposits.ts"
import { must } from "../Law.ts"
import { type Contract, FamilyFixture, replaceNewest } from "./FamilyFixture.ts"
import { orderOf } from "./Orders.ts"

const observed = (id: TransactionId) =>
  Effect.gen(function*() {
    const { chain } = yield* FamilyFixture
    const [seen] = yield* (yield* ChainObserver).observe(chain, [id])
    return seen ?? (yield* Effect.die(new Error("no observation")))
  })

/** The contract of `ChainObserver`, tested with the `DepositWatcher` of the same chain. */
export const chainObserverContract: ReadonlyArray<Contract<ChainObserver | DepositWatcher>> = [
  {
    name: "a deposit is evidence once it is final, is attested then and not before, and is the very one that is filled",
    check: Effect.gen(function*() {
      const { chain, deposit, finalise, mine } = yield* FamilyFixture
      const id = yield* deposit(chain.native, 1_000n, orderOf(1))
      const context = { chainOf: () => chain, network: chain.network, isSignedBy }
      const attested = (seen: Effect.Success<ReturnType<typeof observed>>) =>
        judgeDeposits(context, { chainId: chain.slug, transactionId: id }, [seen])
      must((yield* observed(id))._tag === "Absent", "it is evidence before a block has it")
      yield* mine
      const early = yield* observed(id)
      must(early._tag === "Transaction" && early.finality._tag === "Pending", "it is final at once")
      must(Result.isFailure(attested(early)), "it is attested before it is final")
      yield* finalise
      const final = yield* observed(id)
      must(final._tag === "Transaction" && final.finality._tag === "Final", "it is never final")
      const judged = Result.getOrThrow(attested(final))
      const filled = yield* (yield* DepositWatcher).look(chain, id)
      must(judged.deposits.length === 1 && filled?.length === 1, "not one deposit")
      const [{ message } = yield* Effect.die("none")] = judged.deposits
      const [seen = yield* Effect.die("none")] = filled ?? []
      must(message.onchainId === seen.onchainId, "oracle and solver count it in different places")
      must(
        message.depositId === seen.depositId && message.amount === seen.amount,
        "oracle and solver read it differently"
      )
      must(
        final._tag === "Transaction" && final.block.time === seen.block.time,
        "oracle and solver read another second"
      )
    })
  },
  {
    name: "a transaction that was never sent is absent, and one that a reorg removed is absent again",
    check: Effect.gen(function*() {
      const { chain, deposit, mine } = yield* FamilyFixture
      const id = yield* deposit(chain.native, 1_000n, orderOf(1))
      yield* mine
      must((yield* observed(id))._tag === "Transaction", "it is not there")
      yield* replaceNewest
      must((yield* observed(id))._tag === "Absent", "it was taken back and is there")
      must(Result.isSuccess(parseTransactionId(chain.family, id)), "its id is none of the family")
    })
  },
  {
    name: "the endpoints answer for the chain",
    check: Effect.gen(function*() {
      const { chain } = yield* FamilyFixture
      const { answering, hosts, needed } = yield* (yield* ChainObserver).health(chain)
      must(hosts.length > 0 && answering.length >= needed, "too few answer")
    })
  }
]

const purposes: ReadonlyArray<Purpose> = [{ _tag: "Attest" }, { _tag: "Trade", accounts: {}, feeds: [] }]

/** The expectations of an entry that its chain contradicts. */
const contradicted = (entry: Chain, purpose: Purpose) =>
  Effect.gen(function*() {
    const { chain } = yield* FamilyFixture
    const expected = chain.family.expectations(entry, purpose)
    const answers = yield* (yield* ChainFacts).read(chain, expected.map(({ ask }) => ask))
    must(expected.length > 0, "nothing is compared")
    return expected.filter(({ accepts = [], configured }, index) =>
      ![configured, ...accepts].includes(answers[index] ?? "")
    )
  })

/** The contract of `ChainFacts`. */
export const chainFactsContract: ReadonlyArray<Contract<ChainFacts>> = [
  {
    name: "a chain that matches its entry confirms every expectation, and another chain does not",
    check: Effect.gen(function*() {
      const { chain, token } = yield* FamilyFixture
      for (const purpose of purposes) {
        const [first] = yield* contradicted(chain, purpose)
        must(first === undefined, `it does not confirm ${first?.entry}`)
      }
      const currencies = chain.currencies.map((each) =>
        each.address === token.address ? { ...each, decimals: each.decimals + 1 } : each
      )
      const wrong = yield* Effect.forEach(purposes, (purpose) => contradicted({ ...chain, currencies }, purpose))
      must(wrong.flat().length > 0, "wrong decimals are confirmed")
    })
  }
]
