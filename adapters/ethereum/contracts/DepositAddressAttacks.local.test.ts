/** What thieves, strangers and hostile tokens try with deposit addresses, and that money goes to the depository alone. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Address, Hex } from "viem"
import { concat, encodeDeployData, encodeFunctionData, erc20Abi, getAddress, hexToBytes, slice, toFunctionSelector } from "viem"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../src/domain/deposit-address/DepositAddress.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { abi as badAbi } from "./abi/BadToken.ts"
import { abi as addressAbi } from "./abi/DepositAddress.ts"
import { abi } from "./abi/DepositAddresses.ts"
import { abi as oddAbi } from "./abi/OddToken.ts"
import { bytecode as badCode } from "./bytecode/BadToken.ts"
import { bytecode as oddCode } from "./bytecode/OddToken.ts"
import type { SweepOf } from "./testing/Factory.ts"
import { CREATE2_DEPLOYER, deployment, factoryOf, setDepository, setOperator, sweepData, sweepForData, sweepManyData } from "./testing/Factory.ts"
import type { Act } from "./testing/Stage.ts"
import { event, eventsOf, NATIVE, useStage, word } from "./testing/Stage.ts"

const stage = useStage()
const account = Schema.decodeSync(EthereumAddress)
const ORDER = word(8)
const LATER = word(9)

/** The user's address of an order. */
const home = (orderId: Hex = ORDER): Address =>
  getAddress(Result.getOrThrow(computeDepositAddress({
    factory: account(stage().factory),
    orderId: OrderId.make(orderId),
    depositor: account(stage().user)
  })))
const of = (currency: Address, change: Partial<SweepOf> = {}): SweepOf => ({ orderId: ORDER, depositor: stage().user, currency, ...change })
const implementation = () => stage().client.readContract({ address: stage().factory, abi, functionName: "IMPLEMENTATION" })
const deposit = (depository: Address, currency: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: addressAbi, functionName: "deposit", args: [depository, stage().thief, LATER, currency, amount] })

/** An address that holds 10 wei and 10 USDC, and exists when it was swept before. */
const fund = async (exists: boolean) => {
  const { factory, mint, send, thief, usdc } = stage()
  if (exists) {
    await send(thief, home(), "0x", 1n)
    await send(thief, factory, sweepData(of(NATIVE)))
  }
  await send(thief, home(), "0x", 10n)
  await mint(usdc, home(), 10n)
}
const untouched = async () => {
  const { balance, client, depository, puppet, thief, usdc } = stage()
  assert.deepStrictEqual([await balance(NATIVE, home()), await balance(usdc, home())], [10n, 10n])
  for (const spender of [depository, puppet, thief]) {
    const allowed = await client.readContract({ address: usdc, abi: erc20Abi, functionName: "allowance", args: [home(), spender] })
    assert.strictEqual(allowed, 0n)
  }
}

describe("deploying first", () => {
  it("the factory: it is the same one, with the same owner, and nobody can make it twice", async () => {
    const { client, owner, refusal, send, stranger, thief } = stage()
    await send(thief, CREATE2_DEPLOYER, deployment(stranger))
    assert.strictEqual(await client.readContract({ address: factoryOf(stranger), abi, functionName: "owner" }), getAddress(stranger))
    assert.strictEqual(await refusal(thief, factoryOf(stranger), setDepository(stage().depository)), "OwnableUnauthorizedAccount")
    const again = await client.call({ account: thief, to: CREATE2_DEPLOYER, data: deployment(owner) }).then(() => "deployed", () => "refused")
    assert.strictEqual(again, "refused")
    assert.notStrictEqual(factoryOf(thief), factoryOf(owner))
  })

  it("an address, with dust: what is paid and swept later is as if nobody had", async () => {
    const { depository, factory, mint, send, thief, usdc, user } = stage()
    await send(thief, home(), "0x", 1n)
    await send(thief, factory, sweepData(of(NATIVE)))
    await mint(usdc, home(), 7n)
    const receipt = await send(thief, factory, sweepData(of(usdc)))
    assert.includeMembers([...eventsOf(receipt)], [event("RelayErc20Deposit", user, usdc, 7n, ORDER)])
    assert.strictEqual(await stage().balance(usdc, depository), 7n)
  })
})

describe("direct calls", () => {
  it("to an address, by anybody and whatever they say, do nothing and take nothing", async () => {
    const { client, depository, owner, puppet, send, solver, teach, thief, usdc, user } = stage()
    for (const exists of [false, true]) {
      const snapshot = await client.snapshot()
      await fund(exists)
      const calls = [
        deposit(depository, NATIVE, 10n),
        deposit(puppet, NATIVE, 10n),
        deposit(puppet, usdc, 10n),
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [thief, 10n] }),
        encodeFunctionData({ abi, functionName: "transferOwnership", args: [thief] }),
        "0x01",
        `0x${"ff".repeat(1000)}`
      ] as const
      for (const data of calls) {
        for (const from of [thief, solver, owner, user]) {
          assert.deepStrictEqual(eventsOf(await send(from, home(), data)), [])
          assert.strictEqual((await client.call({ account: from, to: home(), data })).data, undefined, "it answers nothing: no hook, no signature is accepted")
        }
        await teach([{ to: home(), data }], true)
        await send(thief, puppet, "0x")
      }
      await untouched()
      await client.revert({ id: snapshot })
    }
  })

  it("to the implementation, or through a proxy of the thief's to it, are refused, money too", async () => {
    const { create, depository, owner, puppet, refusal, solver, thief, usdc } = stage()
    await fund(true)
    const code = await implementation()
    const clone = await create(thief, concat(["0x3d602d80600a3d3981f3363d3d373d3d3d363d73", code, "0x5af43d82803e903d91602b57fd5bf3"]))
    for (const from of [thief, solver, owner]) {
      for (const to of [code, clone]) {
        for (const [target, currency] of [[depository, NATIVE], [puppet, NATIVE], [puppet, usdc]] as const) {
          assert.strictEqual(await refusal(from, to, deposit(target, currency, 1n)), "NotTheFactory")
        }
        assert.strictEqual(await refusal(from, to, "0x", 1n), "(no reason)")
      }
    }
    await untouched()
  })

  it("to the factory's own sweep apart are refused, also by operators and owner", async () => {
    const { factory, owner, refusal, solver, thief } = stage()
    await fund(true)
    const data = encodeFunctionData({ abi, functionName: "sweepApart", args: [{ orderId: ORDER, depositor: thief, id: LATER, currency: NATIVE }] })
    for (const from of [thief, solver, owner]) assert.strictEqual(await refusal(from, factory, data), "NotTheFactory")
    assert.strictEqual(await refusal(thief, factory, "0x", 1n), "(no reason)", "the factory takes no money")
  })

  it("could not end the code either: it has no selfdestruct, and delegates to one place", async () => {
    const { client } = stage()
    await fund(true)
    const codeOf = async (address: Address) => await client.getCode({ address }) ?? "0x"
    // A contract's last two bytes say how long the metadata before them are, which are no code.
    const withoutMetadata = (code: Hex) => slice(code, 0, -2 - Number(slice(code, -2)))
    assert.deepStrictEqual(opcodes(await codeOf(home())).filter((code) => dangerous.has(code)), [DELEGATECALL])
    assert.deepStrictEqual(opcodes(withoutMetadata(await codeOf(await implementation()))).filter((code) => dangerous.has(code)), [])
    assert.deepStrictEqual(opcodes(withoutMetadata(await codeOf(stage().factory))).filter((code) => dangerous.has(code)), [CREATE2])
  })
})

const [CREATE, CALLCODE, DELEGATECALL, CREATE2, SELFDESTRUCT] = [0xf0, 0xf2, 0xf4, 0xf5, 0xff] as const
const dangerous = new Set<number>([CREATE, CALLCODE, DELEGATECALL, CREATE2, SELFDESTRUCT])

/** The instructions of a code, without what is pushed. */
const opcodes = (code: Hex): ReadonlyArray<number> => {
  const bytes = hexToBytes(code)
  const found: Array<number> = []
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] ?? 0
    found.push(opcode)
    // 0x60 pushes one byte, 0x7f thirty-two.
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
  }
  return found
}

describe("another order's id", () => {
  it("is given by operators only, in every form", async () => {
    const { factory, owner, refusal, send, solver, thief, user } = stage()
    await fund(true)
    const later = of(NATIVE, { id: LATER })
    for (const from of [thief, user, owner]) {
      assert.strictEqual(await refusal(from, factory, sweepForData(later)), "NotAnOperator")
      assert.strictEqual(await refusal(from, factory, sweepManyData([of(NATIVE), later])), "NotAnOperator")
      // The same one, said as a later one: for operators all the same.
      assert.strictEqual(await refusal(from, factory, sweepForData(of(NATIVE))), "NotAnOperator")
    }
    await untouched()
    assert.deepStrictEqual(eventsOf(await send(solver, factory, sweepManyData([later]))), [event("RelayNativeDeposit", user, 10n, LATER)])
  })

  it("is in no sweep's last 32 bytes, where it would name a payment", () => {
    for (const data of [sweepData(of(stage().usdc)), sweepForData(of(stage().usdc, { id: LATER })), sweepManyData([of(stage().usdc, { id: LATER })])]) {
      assert.strictEqual(slice(data, -32, -20), `0x${"00".repeat(12)}`)
    }
  })
})

describe("another factory", () => {
  it("of a thief's, with his depository and himself as operator, has no power over these addresses", async () => {
    const { deployFactory, puppet, refusal, send, thief, usdc } = stage()
    await fund(true)
    const his = await deployFactory(thief)
    await send(thief, his, setDepository(puppet))
    await send(thief, his, setOperator(thief))
    for (const currency of [NATIVE, usdc]) {
      assert.strictEqual(await refusal(thief, his, sweepData(of(currency))), "NothingToSweep")
      assert.strictEqual(await refusal(thief, his, sweepForData(of(currency, { id: LATER }))), "NothingToSweep")
    }
    await untouched()
  })
})

describe("a token that calls back", () => {
  /** An odd token at the address, with hooks before or after it moves balances. */
  const oddToken = async (hooks: readonly [Address, Address]): Promise<Address> => {
    const { create, mint, send, thief } = stage()
    const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [0n] }))
    await mint(odd, home(), 100n)
    await send(thief, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: hooks }))
    return odd
  }

  for (const moment of ["before", "after"] as const) {
    it(`cannot sweep anything else meanwhile, ${moment} its balances move, not even as an operator`, async () => {
      const { factory, owner, played, puppet, send, teach, thief, usdc, user } = stage()
      await fund(true)
      await send(owner, factory, setOperator(puppet))
      const odd = await oddToken(moment === "before" ? [puppet, NATIVE] : [NATIVE, puppet])
      const acts: ReadonlyArray<Act> = [usdc, NATIVE, odd].flatMap((currency) => [
        { to: factory, data: sweepData(of(currency)) },
        { to: factory, data: sweepForData(of(currency, { id: LATER })) },
        { to: factory, data: sweepManyData([of(currency, { id: LATER })]) }
      ])
      for (const act of acts) {
        for (const data of [sweepData(of(odd)), sweepManyData([of(odd)])]) {
          const snapshot = await stage().client.snapshot()
          await teach([act])
          const deposits = eventsOf(await send(thief, factory, data)).filter((text) => text.startsWith("Relay"))
          assert.deepStrictEqual(await played(), { succeeded: 0n, failed: 1n, reason: "ReentrancyGuardReentrantCall" })
          assert.deepStrictEqual(deposits, [event("RelayErc20Deposit", user, odd, 100n, ORDER)])
          await untouched()
          await stage().client.revert({ id: snapshot })
        }
      }
    })
  }

  it("gains nothing from the depository and the address, which it may call meanwhile", async () => {
    const { depository, factory, played, puppet, send, teach, thief, usdc } = stage()
    await fund(true)
    const odd = await oddToken([puppet, NATIVE])
    const transferFrom = (to: Address) => encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [home(), to, 1n] })
    await teach([
      { to: usdc, data: transferFrom(thief) },
      { to: odd, data: transferFrom(thief) },
      { to: depository, data: "0x49290c1c" },
      { to: home(), data: deposit(puppet, usdc, 10n) }
    ])
    await send(thief, factory, sweepData(of(odd)))
    const { failed, succeeded } = await played()
    assert.deepStrictEqual([succeeded, failed], [1n, 3n], "only the address took the call, and did nothing")
    await untouched()
  })
})

const ways = ["Well", "Reverts", "BurnsGas", "RevertsWithMuch", "AnswersMuch", "AnswersLittle", "MovesNothing", "KeepsAllowance"] as const
type Way = (typeof ways)[number]
/** Functions of a token by their selectors. */
const BALANCE = toFunctionSelector("balanceOf(address)")
const APPROVE = toFunctionSelector("approve(address,uint256)")
const TRANSFER = toFunctionSelector("transferFrom(address,address,uint256)")
const nameOf: Record<Hex, string> = { [BALANCE]: "balanceOf", [APPROVE]: "approve", [TRANSFER]: "transferFrom" }

const badToken = async (selector: Hex, way: Way): Promise<Address> => {
  const { create, mint, thief } = stage()
  const bad = await create(thief, badCode)
  await mint(bad, home(), 100n)
  await misbehave(bad, selector, way)
  return bad
}
const misbehave = (bad: Address, selector: Hex, way: Way) =>
  stage().send(stage().thief, bad, encodeFunctionData({ abi: badAbi, functionName: "misbehave", args: [selector, ways.indexOf(way)] }))

describe("a bad token among good ones", () => {
  const failing: ReadonlyArray<readonly [Hex, Way]> = [
    ...([BALANCE, APPROVE, TRANSFER] as const).flatMap((selector) =>
      (["Reverts", "BurnsGas", "RevertsWithMuch", "AnswersLittle"] as const).map((way) => [selector, way] as const)),
    [APPROVE, "AnswersMuch"],
    [TRANSFER, "AnswersMuch"],
    [TRANSFER, "MovesNothing"]
  ]

  for (const [selector, way] of failing) {
    it(`${way} in ${nameOf[selector]}: it alone fails and is told, and can be swept once it is better`, async () => {
      const { balance, client, depository, factory, send, thief, usdc, user } = stage()
      await fund(false)
      const bad = await badToken(selector, way)
      const sweeps = [of(bad), of(NATIVE), of(bad), of(usdc), of(bad)]
      const call = { account: thief, address: factory, abi, functionName: "sweepMany", args: [sweeps.map((sweep) => ({ id: ORDER, ...sweep }))], gas: 8_000_000n } as const
      assert.deepStrictEqual((await client.simulateContract(call)).result, [false, true, false, true, false])
      const events = eventsOf(await send(thief, factory, sweepManyData(sweeps)))
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
      const later = eventsOf(await send(thief, factory, sweepData(of(bad))))
      assert.includeMembers([...later], [event("RelayErc20Deposit", user, bad, 100n, ORDER)])
      assert.strictEqual(await balance(bad, depository), 100n)
    })
  }

  it("alone leaves nothing behind, not even the address", async () => {
    const { client, factory, refusal, send, thief } = stage()
    const bad = await badToken(TRANSFER, "Reverts")
    assert.strictEqual(await refusal(thief, factory, sweepData(of(bad))), "Refused")
    await send(thief, factory, sweepManyData([of(bad)]))
    assert.strictEqual(await client.getCode({ address: home() }), undefined)
    const allowed = await client.readContract({ address: bad, abi: badAbi, functionName: "allowance", args: [home(), stage().depository] })
    assert.strictEqual(allowed, 0n)
  })

  it("that was there once and has no code any more fails alone, too", async () => {
    const { client, factory, refusal, send, thief, user } = stage()
    await fund(false)
    const bad = await badToken(BALANCE, "Well")
    await client.setCode({ address: bad, bytecode: "0x" })
    assert.strictEqual(await refusal(thief, factory, sweepData(of(bad))), "(no reason)")
    const events = eventsOf(await send(thief, factory, sweepManyData([of(bad), of(NATIVE)])))
    assert.deepStrictEqual(events, [event("SweepFailed", home(), bad), event("RelayNativeDeposit", user, 10n, ORDER)])
  })

  it("that answers with much beside a true word is swept like any other", async () => {
    const { factory, send, thief, user } = stage()
    const bad = await badToken(BALANCE, "AnswersMuch")
    const events = eventsOf(await send(thief, factory, sweepManyData([of(bad)])))
    assert.includeMembers([...events], [event("RelayErc20Deposit", user, bad, 100n, ORDER)])
  })

  it("that does not count its allowances down is allowed nothing afterwards", async () => {
    const { client, depository, factory, send, thief } = stage()
    const bad = await badToken(TRANSFER, "KeepsAllowance")
    await send(thief, factory, sweepData(of(bad)))
    const allowed = await client.readContract({ address: bad, abi: badAbi, functionName: "allowance", args: [home(), depository] })
    assert.strictEqual(allowed, 0n)
    assert.strictEqual(await stage().balance(bad, depository), 100n)
  })

  it("of which there are many, each burning all it gets, leaves the good ones their gas", async () => {
    const { client, factory, send, thief, user } = stage()
    await fund(false)
    const bad = await badToken(BALANCE, "BurnsGas")
    const sweeps = [...Array.from({ length: 10 }, () => of(bad)), of(NATIVE)]
    const events = eventsOf(await send(thief, factory, sweepManyData(sweeps)))
    assert.deepStrictEqual(events.at(-1), event("RelayNativeDeposit", user, 10n, ORDER))
    assert.lengthOf(events, 11)
    assert.isDefined(await client.getCode({ address: home() }))
  })
})

describe("too little gas", () => {
  it("reverts the whole, whatever the amount: no sweep is ever told as failed that could have been made", async () => {
    const { client, factory, thief, usdc } = stage()
    await fund(false)
    const sweeps = [NATIVE, usdc].map((currency) => ({ ...of(currency), id: ORDER }))
    const outcomes = new Set<string>()
    for (let gas = 30_000n; gas < 900_000n; gas += 4_000n) {
      const outcome = await client.simulateContract({ account: thief, address: factory, abi, functionName: "sweepMany", args: [sweeps], gas })
        .then(({ result }) => result.join(","), () => "reverted")
      outcomes.add(outcome)
    }
    assert.deepStrictEqual([...outcomes], ["reverted", "true,true"])
  })

  it("is not what an estimate finds, with a token in the middle that burns all its gas", async () => {
    const { client, factory, thief, usdc, user } = stage()
    await fund(false)
    const bad = await badToken(BALANCE, "BurnsGas")
    const data = sweepManyData([of(NATIVE), of(bad), of(usdc)])
    const gas = await client.estimateGas({ account: thief, to: factory, data })
    const hash = await client.sendTransaction({ account: thief, chain: null, to: factory, data, gas })
    const receipt = await client.waitForTransactionReceipt({ hash })
    assert.deepStrictEqual(eventsOf(receipt).filter((text) => /^(Relay|Sweep)/.test(text)), [
      event("RelayNativeDeposit", user, 10n, ORDER),
      event("SweepFailed", home(), bad),
      event("RelayErc20Deposit", user, usdc, 10n, ORDER)
    ])
  })
})
