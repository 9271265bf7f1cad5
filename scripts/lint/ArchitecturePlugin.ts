/**
 * The oxlint plugin `causeway`. `layers` checks every import with Layers.ts, whether static, dynamic or in a type.
 * `family-names` keeps the names of VM families in their own folders. `no-throw` and `no-clock` keep the core pure
 * where oxlint's own rules do not. `no-restricted-imports` is not enough: it compares texts, has no look-around to
 * express "nothing but", and does not see dynamic imports.
 */
import type { RuleTester } from "oxlint/plugins-dev"
import { relative, sep } from "node:path"
import { judgeImport } from "./Layers.ts"
import type { Names } from "./Packages.ts"

type Rule = Parameters<RuleTester["run"]>[1]

type Specifier =
  | { readonly type: "ImportDefaultSpecifier" | "ImportNamespaceSpecifier" }
  | {
    readonly type: "ImportSpecifier"
    readonly imported: { readonly type: string; readonly name?: string; readonly value?: string }
  }

const nameOf = (name: { readonly name?: string; readonly value?: string }): string => name.name ?? name.value ?? ""

const namesOf = (specifiers: ReadonlyArray<Specifier>): Names => {
  const names = specifiers.map((specifier) =>
    specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : undefined
  )
  const known = names.filter((name) => name !== undefined)
  return known.length === names.length && known.length > 0 ? known : "all"
}

const layers: Rule = {
  create: (context) => {
    const path = relative(context.cwd, context.filename).split(sep).join("/")
    const message = (specifier: string, names: Names, dynamic: boolean) =>
      judgeImport(path, { specifier, names, dynamic })
    return {
      ImportDeclaration: (node) => {
        const wrong = message(node.source.value, namesOf(node.specifiers), false)
        if (wrong !== undefined) context.report({ node, message: wrong })
      },
      ExportNamedDeclaration: (node) => {
        if (node.source === null) return
        const wrong = message(node.source.value, node.specifiers.map((specifier) => nameOf(specifier.local)), false)
        if (wrong !== undefined) context.report({ node, message: wrong })
      },
      ExportAllDeclaration: (node) => {
        const wrong = message(node.source.value, "all", false)
        if (wrong !== undefined) context.report({ node, message: wrong })
      },
      ImportExpression: (node) => {
        const { source } = node
        // A computed specifier cannot be checked; it is replaced by "/", which every layer refuses.
        const specifier = source.type === "Literal" && typeof source.value === "string" ? source.value : "/"
        const wrong = message(specifier, "all", true)
        if (wrong !== undefined) context.report({ node, message: wrong })
      },
      TSImportType: (node) => {
        const wrong = message(node.source.value, "all", false)
        if (wrong !== undefined) context.report({ node, message: wrong })
      }
    }
  }
}

const noThrow: Rule = {
  create: (context) => ({
    ThrowStatement: (node) =>
      context.report({ node, message: "Errors are values: return a Result, or fail with a tagged error." })
  })
}

const clock = "This reads a clock: take the time as a value, or from effect's Clock."

const noClock: Rule = {
  create: (context) => ({
    NewExpression: (node) => {
      const isNow = node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0
      if (isNow) context.report({ node, message: clock })
    },
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "Date") context.report({ node, message: clock })
    }
  })
}

/** As rows and configurations name it, and as the API does (`vmType`). */
const familyName = /^(?:(?:ethereum|solana|bitcoin|tron|exchangea|exchangeb)-vm|evm|svm|bvm|tvm|hypevm|lvm)$/

const namesFamily = "A family is a value: ask `chain.family` for a rule or an ability, never its name."

const familyNames: Rule = {
  create: (context) => ({
    Literal: (node) => {
      if (typeof node.value === "string" && familyName.test(node.value)) context.report({ node, message: namesFamily })
    },
    TemplateElement: (node) => {
      if (familyName.test(node.value.raw)) context.report({ node, message: namesFamily })
    }
  })
}

export default {
  meta: { name: "causeway" },
  rules: { layers, "no-throw": noThrow, "no-clock": noClock, "family-names": familyNames }
}
