import { ACCOUNT, OPERATOR_ARN } from '../account.ts';
import { type AwsService, UnknownOperation } from '../gateway.ts';

const NAMESPACE = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';
const answerOf = (status: number, xml: string) => ({ status, headers: { 'content-type': 'text/xml' }, body: xml });

/** STS over its query protocol: a form in, XML out. It tells the operator, who is allowed every call, who it is. */
export function securityTokens(): AwsService {
  return {
    refuse: ({ code, status }) =>
      answerOf(
        status,
        `<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`,
      ),
    async answer({ body }, demand) {
      const operation = new URLSearchParams(body.toString()).get('Action') ?? '';
      if (operation !== 'GetCallerIdentity') throw new UnknownOperation('sts', operation);
      demand('sts:GetCallerIdentity', '*');
      const identity = `<Arn>${OPERATOR_ARN}</Arn><UserId>operator</UserId><Account>${ACCOUNT}</Account>`;
      const result = `<GetCallerIdentityResult>${identity}</GetCallerIdentityResult>`;
      return answerOf(200, `<GetCallerIdentityResponse ${NAMESPACE}>${result}</GetCallerIdentityResponse>`);
    },
  };
}
