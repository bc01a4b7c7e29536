"""Deploys template.yaml to a local stack, the way `sam deploy` deploys it to AWS.

Reads one JSON object from standard input: `endpoint`, `stack`, `template` (path), `artifacts` (a directory for
the zips), `binaries` (artefact name to path; a function's `Handler` names its artefact), `parameters` and `operators`
(each with `username`, `password` and `role`, the group), who can sign in afterwards.
Prints the outputs of the stack as one JSON object.
"""

import hashlib
import io
import json
import pathlib
import sys
import time
import zipfile

import boto3
import yaml
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError

BUCKET = "carryover-artifacts"
NO_CHANGES = "didn't contain changes"


def main():
    request = json.load(sys.stdin)
    template = read_template(request["template"])
    s3 = client(request, "s3")
    keys = upload(s3, request["binaries"], pathlib.Path(request["artifacts"]))
    if bucket := request["parameters"].get("IndexBucket"):
        s3.create_bucket(Bucket=bucket)
    point_at_zips(template, keys)
    cloudformation = client(request, "cloudformation")
    deploy(cloudformation, request["stack"], template, request["parameters"])
    deployed = outputs(cloudformation, request["stack"])
    let_in(client(request, "cognito-idp"), deployed["UserPoolId"], request["operators"])
    print(json.dumps(deployed))


def client(request, service):
    return boto3.client(
        service,
        endpoint_url=request["endpoint"],
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(proxies={}, retries={"total_max_attempts": 3}, s3={"addressing_style": "path"}),
    )


class TemplateLoader(yaml.SafeLoader):
    """YAML with the short forms of CloudFormation's functions."""


def short_form(loader, suffix, node):
    name = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
        return {name: value.split(".", 1) if suffix == "GetAtt" else value}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    return {name: loader.construct_mapping(node, deep=True)}


TemplateLoader.add_multi_constructor("!", short_form)


def read_template(path):
    return yaml.load(pathlib.Path(path).read_text(), TemplateLoader)


def upload(s3, binaries, artifacts):
    artifacts.mkdir(parents=True, exist_ok=True)
    s3.create_bucket(Bucket=BUCKET)
    keys = {}
    for name, path in binaries.items():
        archive = zipped(name, pathlib.Path(path).read_bytes(), artifacts)
        s3.put_object(Bucket=BUCKET, Key=archive.name, Body=archive.read_bytes())
        keys[name] = archive.name
    return keys


def zipped(name, binary, artifacts):
    """The zip of a binary, named by its content so that an unchanged function is not deployed again."""
    archive = artifacts / f"{name}-{hashlib.sha256(binary).hexdigest()[:16]}.zip"
    if archive.exists():
        return archive
    for old in artifacts.glob(f"{name}-*.zip"):
        old.unlink()
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = 0o755 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zip_file:
        zip_file.writestr(entry, binary, zipfile.ZIP_DEFLATED)
    partial = archive.with_suffix(".partial")
    partial.write_bytes(buffer.getvalue())
    partial.rename(archive)
    return archive


def point_at_zips(template, keys):
    template["Globals"]["Function"].pop("CodeUri")
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            properties = resource["Properties"]
            properties["CodeUri"] = f"s3://{BUCKET}/{keys[properties['Handler']]}"


def deploy(cloudformation, stack, template, parameters):
    change_set = cloudformation.create_change_set(
        StackName=stack,
        ChangeSetName=f"run-{time.time_ns()}",
        ChangeSetType="UPDATE" if is_deployed(cloudformation, stack) else "CREATE",
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        TemplateBody=json.dumps(template, separators=(",", ":")),
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()],
    )["Id"]
    if not has_changes(cloudformation, change_set):
        cloudformation.delete_change_set(ChangeSetName=change_set)
        return
    cloudformation.execute_change_set(ChangeSetName=change_set)
    wait_until_deployed(cloudformation, stack)


def is_deployed(cloudformation, stack):
    try:
        found = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError:
        return False
    return found[0]["StackStatus"] != "REVIEW_IN_PROGRESS"


def has_changes(cloudformation, change_set):
    try:
        waiter = cloudformation.get_waiter("change_set_create_complete")
        waiter.wait(ChangeSetName=change_set, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
        return True
    except WaiterError as error:
        reason = error.last_response.get("StatusReason", "")
        if NO_CHANGES in reason:
            return False
        raise SystemExit(f"the change set failed: {reason}") from error


def wait_until_deployed(cloudformation, stack):
    for _ in range(120):
        status = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
        if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            return
        if not status.endswith("_IN_PROGRESS"):
            raise SystemExit(f"the stack ended in {status}:\n" + "\n".join(failures(cloudformation, stack)))
        time.sleep(0.5)
    raise SystemExit("the stack was not deployed within a minute")


def failures(cloudformation, stack):
    for event in cloudformation.describe_stack_events(StackName=stack)["StackEvents"]:
        if "FAILED" in event["ResourceStatus"]:
            yield f"  {event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"


def outputs(cloudformation, stack):
    found = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]
    return {output["OutputKey"]: output["OutputValue"] for output in found}


def let_in(cognito, pool, operators):
    for operator in operators:
        user = {"UserPoolId": pool, "Username": operator["username"]}
        email = f"{operator['username']}@example.com"
        attributes = {"email": email, "email_verified": "true"}
        try:
            cognito.admin_create_user(
                **user,
                UserAttributes=[{"Name": name, "Value": value} for name, value in attributes.items()],
                MessageAction="SUPPRESS",
            )
        except cognito.exceptions.UsernameExistsException:
            pass
        cognito.admin_set_user_password(**user, Password=operator["password"], Permanent=True)
        cognito.admin_add_user_to_group(**user, GroupName=operator["role"])


main()
