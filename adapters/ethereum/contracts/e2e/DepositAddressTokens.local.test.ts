/** Hostile tokens at deposit addresses: they can only harm themselves. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { encodeDeployData, encodeFunctionData, erc20Abi, toFunctionSelector } from "viem"
import { abi as badAbi, bytecode as badCode } from "../artifacts/BadToken.ts"
import { abi } from "../artifacts/DepositAddresses.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import type { SweepOf } from "../testing/Factory.ts"
import { setOperator, sweepData, sweepForData, sweepManyData } from "../testing/Factory.ts"
import type { Act } from "../testing/Fixture.ts"
import { event, eventsOf, NATIVE, useFixture } from "../testing/Fixture.ts"
import { fund, LATER, ORDER, sweepOf, untouched, usersAddress } from "../testing/UsersAddress.ts"

const fixture = useFixture()

const home = (): Address => usersAddress(fixture())
const of = (currency: Address, change: Partial<SweepOf> = {}): SweepOf => sweepOf(fixture(), currency, change)

describe("a token that calls back", () => {
  /** A hostile token at the address, with hooks before or after it moves balances. */
  const oddToken = async (hooks: readonly [Address, Address]): Promise<Address> => {
    const { create, mint, send, thief } = fixture()
    const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [0n] }))
    await mint(odd, home(), 100n)
    await send(thief, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: hooks }))
    return odd
  }

  for (const moment of ["before", "after"] as const) {
    it(`cannot sweep anything else meanwhile, ${moment} its balances move, not even as an operator`, async () => {
      const { factory, owner, played, puppet, send, solver, teach, usdc, user } = fixture()
      await fund(fixture(), true)
      await send(owner, factory, setOperator(puppet))
      const odd = await oddToken(moment === "before" ? [puppet, NATIVE] : [NATIVE, puppet])
      const acts: ReadonlyArray<Act> = [usdc, NATIVE, odd].flatMap((currency) => [
        { to: factory, data: sweepData(of(currency)) },
        { to: factory, data: sweepForData(of(currency, { id: LATER })) },
        { to: factory, data: sweepManyData([of(currency, { id: LATER })]) }
      ])
      for (const act of acts) {
        for (const data of [sweepData(of(odd)), sweepManyData([of(odd)])]) {
          const snapshot = await fixture().client.snapshot()
          await teach([act])
          const deposits = eventsOf(await send(solver, factory, data)).filter((text) => text.startsWith("Relay"))
          assert.deepStrictEqual(await played(), { succeeded: 0n, failed: 1n, reason: "ReentrancyGuardReentrantCall" })
          assert.deepStrictEqual(deposits, [event("RelayErc20Deposit", user, odd, 100n, ORDER)])
          await untouched(fixture())
          await fixture().client.revert({ id: snapshot })
        }
      }
    })
  }

  it("gains nothing from the depository and the address, which it may call meanwhile", async () => {
    const { depository, factory, played, puppet, send, solver, teach, thief, usdc } = fixture()
    await fund(fixture(), true)
    const odd = await oddToken([puppet, NATIVE])
    const transferFrom = (to: Address) =>
      encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [home(), to, 1n] })
    await teach([
      { to: usdc, data: transferFrom(thief) },
      { to: odd, data: transferFrom(thief) },
      { to: depository, data: "0x49290c1c" },
      { to: home(), data: "0x12345678" }
    ])
    await send(solver, factory, sweepData(of(odd)))
    const { failed, succeeded } = await played()
    assert.deepStrictEqual([succeeded, failed], [1n, 3n], "only the address took the call, and did nothing")
    await untouched(fixture())
  })
})

const ways = [
  "Well",
  "Reverts",
  "BurnsGas",
  "RevertsWithMuch",
  "AnswersMuch",
  "AnswersLittle",
  "MovesNothing",
  "KeepsAllowance"
] as const
type Way = (typeof ways)[number]
/** Functions of a token, by selector. */
const BALANCE = toFunctionSelector("balanceOf(address)")
const APPROVE = toFunctionSelector("approve(address,uint256)")
const TRANSFER = toFunctionSelector("transferFrom(address,address,uint256)")
const nameOf: Record<Hex, string> = { [BALANCE]: "balanceOf", [APPROVE]: "approve", [TRANSFER]: "transferFrom" }

const badToken = async (selector: Hex, way: Way): Promise<Address> => {
  const { create, mint, thief } = fixture()
  const bad = await create(thief, badCode)
  await mint(bad, home(), 100n)
  await misbehave(bad, selector, way)
  return bad
}
const misbehave = (bad: Address, selector: Hex, way: Way) =>
  fixture().send(
    fixture().thief,
    bad,
    encodeFunctionData({ abi: badAbi, functionName: "misbehave", args: [selector, ways.indexOf(way)] })
  )

describe("a bad token among good ones", () => {
  const failing: ReadonlyArray<readonly [Hex, Way]> = [
    ...([BALANCE, APPROVE, TRANSFER] as const).flatMap((selector) =>
      (["Reverts", "BurnsGas", "RevertsWithMuch", "AnswersLittle"] as const).map((way) => [selector, way] as const)
    ),
    [APPROVE, "AnswersMuch"],
    [TRANSFER, "AnswersMuch"],
    [TRANSFER, "MovesNothing"]
  ]

  for (const [selector, way] of failing) {
    it(`${way} in ${nameOf[selector]}: it alone fails and is reported, and can be swept once it works again`, async () => {
      const { balance, client, depository, factory, send, solver, usdc, user } = fixture()
      await fund(fixture(), false)
      const bad = await badToken(selector, way)
      const sweeps = [of(bad), of(NATIVE), of(bad), of(usdc), of(bad)]
      const call = {
        account: solver,
        address: factory,
        abi,
        functionName: "sweepMany",
        args: [sweeps.map((sweep) => ({ id: ORDER, ...sweep }))],
        gas: 8_000_000n
      } as const
      assert.deepStrictEqual((await client.simulateContract(call)).result, [false, true, false, true, false])
      const events = eventsOf(await send(solver, factory, sweepManyData(sweeps)))
      assert.deepStrictEqual(events, [
        event("SweepFailed", home(), bad),
        event("RelayNativeDeposit", user, 10n, ORDER),
        event("SweepFailed", home(), bad),
        event("Approval", home(), depository, 10n),
        event("Transfer", home(), depository, 10n),
        event("RelayErc20Deposit", user, usdc, 10n, ORDER),
        event("SweepFailed", home(), bad)
      ])
      await misbehave(bad, selector, "Well")
      const later = eventsOf(await send(solver, factory, sweepData(of(bad))))
      assert.includeMembers([...later], [event("RelayErc20Deposit", user, bad, 100n, ORDER)])
      assert.strictEqual(await balance(bad, depository), 100n)
    })
  }

  it("swept alone leaves nothing behind, not even the address", async () => {
    const { client, factory, refusal, send, solver } = fixture()
    const bad = await badToken(TRANSFER, "Reverts")
    assert.strictEqual(await refusal(solver, factory, sweepData(of(bad))), "Refused")
    await send(solver, factory, sweepManyData([of(bad)]))
    assert.strictEqual(await client.getCode({ address: home() }), undefined)
    const allowed = await client.readContract({
      address: bad,
      abi: badAbi,
      functionName: "allowance",
      args: [home(), fixture().depository]
    })
    assert.strictEqual(allowed, 0n)
  })

  it("whose code is gone fails alone, too", async () => {
    const { client, factory, refusal, send, solver, user } = fixture()
    await fund(fixture(), false)
    const bad = await badToken(BALANCE, "Well")
    await client.setCode({ address: bad, bytecode: "0x" })
    assert.strictEqual(await refusal(solver, factory, sweepData(of(bad))), "(no reason)")
    const events = eventsOf(await send(solver, factory, sweepManyData([of(bad), of(NATIVE)])))
    assert.deepStrictEqual(events, [event("SweepFailed", home(), bad), event("RelayNativeDeposit", user, 10n, ORDER)])
  })

  it("that returns extra data after `true` is swept like any other", async () => {
    const { factory, send, solver, user } = fixture()
    const bad = await badToken(BALANCE, "AnswersMuch")
    const events = eventsOf(await send(solver, factory, sweepManyData([of(bad)])))
    assert.includeMembers([...events], [event("RelayErc20Deposit", user, bad, 100n, ORDER)])
  })

  it("that does not reduce its allowances keeps none afterwards", async () => {
    const { client, depository, factory, send, solver } = fixture()
    const bad = await badToken(TRANSFER, "KeepsAllowance")
    await send(solver, factory, sweepData(of(bad)))
    const allowed = await client.readContract({
      address: bad,
      abi: badAbi,
      functionName: "allowance",
      args: [home(), depository]
    })
    assert.strictEqual(allowed, 0n)
    assert.strictEqual(await fixture().balance(bad, depository), 100n)
  })

  it("of which there are many, each burning all its gas, leaves the good ones enough gas", async () => {
    const { client, factory, send, solver, user } = fixture()
    await fund(fixture(), false)
    const bad = await badToken(BALANCE, "BurnsGas")
    const sweeps = [...Array.from({ length: 10 }, () => of(bad)), of(NATIVE)]
    const events = eventsOf(await send(solver, factory, sweepManyData(sweeps)))
    assert.deepStrictEqual(events.at(-1), event("RelayNativeDeposit", user, 10n, ORDER))
    assert.lengthOf(events, 11)
    assert.isDefined(await client.getCode({ address: home() }))
  })
})

describe("too little gas", () => {
  it("reverts the whole transaction, for any amount: no sweep that could have succeeded is reported as failed", async () => {
    const { client, factory, solver, usdc } = fixture()
    await fund(fixture(), false)
    const sweeps = [NATIVE, usdc].map((currency) => ({ ...of(currency), id: ORDER }))
    const outcomes = new Set<string>()
    for (let gas = 30_000n; gas < 900_000n; gas += 4_000n) {
      const outcome = await client.simulateContract({
        account: solver,
        address: factory,
        abi,
        functionName: "sweepMany",
        args: [sweeps],
        gas
      })
        .then(({ result }) => result.join(","), () => "reverted")
      outcomes.add(outcome)
    }
    assert.deepStrictEqual([...outcomes], ["reverted", "true,true"])
  })

  it("is never what an estimate finds, even with a token in the middle that burns all its gas", async () => {
    const { client, factory, solver, usdc, user } = fixture()
    await fund(fixture(), false)
    const bad = await badToken(BALANCE, "BurnsGas")
    const data = sweepManyData([of(NATIVE), of(bad), of(usdc)])
    const gas = await client.estimateGas({ account: solver, to: factory, data })
    const hash = await client.sendTransaction({ account: solver, chain: null, to: factory, data, gas })
    const receipt = await client.waitForTransactionReceipt({ hash })
    assert.deepStrictEqual(eventsOf(receipt).filter((text) => /^(Relay|Sweep)/.test(text)), [
      event("RelayNativeDeposit", user, 10n, ORDER),
      event("SweepFailed", home(), bad),
      event("RelayErc20Deposit", user, usdc, 10n, ORDER)
    ])
  })
})
