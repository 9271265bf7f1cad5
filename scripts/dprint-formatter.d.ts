/** The part of @dprint/formatter that `npm run format` uses, so that the tree's types do not depend on a formatter. */
declare module "@dprint/formatter" {
  interface Formatter {
    setConfig(everywhere: Readonly<Record<string, unknown>>, plugin: Readonly<Record<string, unknown>>): void
    getConfigDiagnostics(): ReadonlyArray<{ readonly propertyName: string; readonly message: string }>
    formatText(file: { readonly filePath: string; readonly fileText: string }): string
  }
  export function createFromBuffer(plugin: Uint8Array): Formatter
}
