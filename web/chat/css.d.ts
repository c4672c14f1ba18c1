/** A style sheet as a text: the build puts it into the script. */
declare module "*.css" {
  const text: string
  export default text
}
