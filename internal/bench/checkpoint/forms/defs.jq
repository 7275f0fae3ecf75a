# What the forms have in common.

# GitHub's page of a connection as a list.
def page(f): values | {items: [.nodes[] | values | f], pageInfo};

# A list of the REST API, with what it says of a next page.
def paged(f): {items: [.[] | f], pageInfo: {hasNextPage: ($next != null), endCursor: (if $next then $next | tostring else null end)} };

# The input of such a list: the cursor after a page is the number of the next.
def inputOfPage: $input
  | if .after // 1 | tostring | test("^[0-9]+$") then . else error("the input \"after\" is \"\(.after)\", want the end of an earlier page") end;

# The logins, or the names, of a connection.
def logins: [.nodes[]? | values | .login];
def names: [.nodes[]? | values | .name];

# Comments and reviews.
def comment: {id, authorLogin: .author.login, body, createdAt, url};

# The states that an input's state asks for: open ones without it.
def states(all): ($input.state // "open" | ascii_upcase) as $state | if $state == "ALL" then all else [$state] end;

def reactions: {content, reactorCount: .reactors.totalCount, reactorLogins: [.reactors.nodes[]? | values | .login]};

# A release, or the draft of one, which only those see who may write to the
# repository. A draft has no publishedAt.
def release: {
  id, tagName: .tag_name, name: (.name // ""), body: (.body // ""), isDraft: .draft, isPrerelease: .prerelease, url: .html_url,
  targetCommitish: .target_commitish, createdAt: .created_at, publishedAt: .published_at, authorLogin: .author.login,
  assets: [.assets[]? | {id, name, size, contentType: .content_type, downloadCount: .download_count}]
};
