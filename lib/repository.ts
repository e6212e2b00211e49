/**
 * Returns the address of a page about a file in a repository, before its path; '' when the repository is not on the web. It has no user name and
 * no token of the remote's address.
 * @param remote as git has it, such as `git@github.com:owner/name.git`
 */
export function addressOfFiles(remote: string): string {
  const [, host, path] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? '' : `https://${host}/${path}/blob/HEAD/`;
}
