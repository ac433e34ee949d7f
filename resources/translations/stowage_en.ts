<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CachePresenter</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CacheWords</name>
    <message numerus="yes">
        <source>%Ln model(s)</source>
        <translation>
            <numerusform>%Ln model</numerusform>
            <numerusform>%Ln models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln revision(s)</source>
        <translation>
            <numerusform>%Ln revision</numerusform>
            <numerusform>%Ln revisions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unfinished file(s)</source>
        <translation>
            <numerusform>%Ln unfinished file</numerusform>
            <numerusform>%Ln unfinished files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>used %Ln day(s) ago</source>
        <translation>
            <numerusform>used %Ln day ago</numerusform>
            <numerusform>used %Ln days ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{files} and %Ln more</source>
        <translation>
            <numerusform>{files} and %Ln more</numerusform>
            <numerusform>{files} and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatPresenter</name>
    <message numerus="yes">
        <source>%Ln message(s) deleted</source>
        <translation>
            <numerusform>%Ln message deleted</numerusform>
            <numerusform>%Ln messages deleted</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryPresenter</name>
    <message numerus="yes">
        <source>%n launch(es) exported</source>
        <translation>
            <numerusform>%n launch exported</numerusform>
            <numerusform>%n launches exported</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>%Ln line left out</numerusform>
            <numerusform>%Ln lines left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln earlier message is kept, not shown</numerusform>
            <numerusform>%Ln earlier messages are kept, not shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunWords</name>
    <message numerus="yes">
        <source>%n table row(s)</source>
        <translation>
            <numerusform>%n table row</numerusform>
            <numerusform>%n table rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{size}, from %n of your runs</source>
        <translation>
            <numerusform>{size}, from %n of your runs</numerusform>
            <numerusform>{size}, from %n of your runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServingCard</name>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n minute</numerusform>
            <numerusform>%n minutes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message numerus="yes">
        <source>%Ln download(s)</source>
        <translation>
            <numerusform>%Ln download</numerusform>
            <numerusform>%Ln downloads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Thread</name>
    <message numerus="yes">
        <source>without the %Ln oldest message(s)</source>
        <translation>
            <numerusform>without the %Ln oldest message</numerusform>
            <numerusform>without the %Ln oldest messages</numerusform>
        </translation>
    </message>
</context>
</TS>
